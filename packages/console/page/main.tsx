import { render } from 'preact'
import { Shell } from './shell/shell.tsx'
import { start } from './session/start.ts'

const root = document.getElementById('console')
if (!root) throw new Error('the page has no element for the console')
render(<Shell />, root)
void start()
