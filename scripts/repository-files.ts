import { globSync } from 'node:fs'
import { basename } from 'node:path'

const NOT_OURS = ['node_modules', 'var', 'dist', 'coverage', '.git']

/** The files below `root` that match the glob `pattern`, without installed and generated files. */
export function repositoryFiles(root: string, pattern: string): string[] {
  return globSync(pattern, { cwd: root, exclude: isNotOurs })
}

function isNotOurs(path: string): boolean {
  return NOT_OURS.includes(basename(path))
}
