import { fileURLToPath } from 'node:url'

/**
 * The folder of the console's files, as Vite builds them: `index.html` and `assets/`. In the repository,
 * `npm run console` builds it; the published package contains it.
 */
export const CONSOLE_FILES = fileURLToPath(new URL('../static/', import.meta.url))
