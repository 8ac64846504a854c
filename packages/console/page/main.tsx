import { render } from 'preact'
import { start } from './session/session.ts'
import { Shell } from './shell/shell.tsx'

const root = document.getElementById('console')
if (!root) throw new Error('the page has no element for the console')
render(<Shell />, root)
void start()
