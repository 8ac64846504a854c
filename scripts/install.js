// Makes node_modules match package-lock.json, and calls npm only if it does not.
//
//   node scripts/install.js [FOLDER]    installs FOLDER (default: this repository) if needed
//   node scripts/install.js --stamp     records in node_modules what it was installed from
//
// This is plain JavaScript without imports from npm, because it runs before anything is installed, on Node 20 and
// later. npm writes the stamp itself with the script "dependencies", which it runs after every change of node_modules.
// So an installation by hand does not cause a second one.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const NODE_MAJOR_MIN = 20
const NPM_MAJOR_MIN = 10

if (process.argv[2] === '--stamp') {
  writeFileSync(stampFile('.'), stampOf('.'))
} else {
  install(resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))))
}

/** @param {string} folder the folder of package-lock.json */
function install(folder) {
  requireMajor('Node', process.versions.node, NODE_MAJOR_MIN)
  if (isInstalled(folder)) return
  console.log(`Installing the packages of ${join(folder, 'package-lock.json')} (npm ci) ...`)
  const npm = spawnSync('npm', ['--version'], { cwd: folder, encoding: 'utf8' })
  if (npm.error) fail(`npm could not be started (${npm.error.message}). It comes with Node.`)
  requireMajor('npm', npm.stdout.trim(), NPM_MAJOR_MIN)

  const options = ['--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', ['ci', ...options], { cwd: folder, stdio: 'inherit' })
  if (status !== 0) fail(`npm ci failed in ${folder}; its message stands above.`)
  if (!isInstalled(folder)) {
    fail('npm ran no install scripts, and they are needed: is ignore-scripts set in its settings?')
  }
}

/** @param {string} folder */
function isInstalled(folder) {
  const file = stampFile(folder)
  return existsSync(file) && readFileSync(file, 'utf8') === stampOf(folder)
}

/** @param {string} folder */
function stampFile(folder) {
  return join(folder, 'node_modules', '.installed-from')
}

/** @param {string} folder */
function stampOf(folder) {
  const lock = readFileSync(join(folder, 'package-lock.json'))
  const hash = createHash('sha256').update(lock).digest('hex')
  return `${process.platform}-${process.arch} ${hash}\n`
}

/**
 * @param {string} what
 * @param {string} version
 * @param {number} majorMin
 */
function requireMajor(what, version, majorMin) {
  if (Number.parseInt(version, 10) >= majorMin) return
  fail(`${what} ${majorMin} or newer is needed; here is ${version || 'none that answers'}.`)
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message)
  process.exit(1)
}
