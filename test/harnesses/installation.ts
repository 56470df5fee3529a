import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Packages of the lab are kept here between runs, apart from every checkout. */
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'satchel-harnesses')
const INSTALL_LIMIT_MS = 600_000

/**
 * Installs one package of npm into a folder of the cache, without its install scripts, and returns the folder.
 * Errors: npm cannot install it; the message names npm's reason.
 */
export async function installPackage(name: string, version: string, cache = CACHE): Promise<string> {
  const folder = join(cache, `${name.replace('@', '').replace('/', '-')}-${version}`)
  const manifest = join(folder, 'node_modules', name, 'package.json')
  if (existsSync(manifest)) return folder
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n') // npm installs where one is
  const words = [
    'install',
    '--loglevel=error',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `${name}@${version}`,
  ]
  const options = { cwd: folder, timeout: INSTALL_LIMIT_MS, shell: process.platform === 'win32' }
  try {
    await promisify(execFile)('npm', words, options)
  } catch (cause) {
    const [, code = 'no code'] = /^npm error code (\S+)/m.exec(String(cause)) ?? []
    throw new Error(`npm could not install ${name}@${version} (${code})`, { cause })
  }
  return folder
}

/** The program of a major version of Node, which comes from npm too. */
export async function installNode(version: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}`
  const folder = await installPackage(name, version)
  return join(folder, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node')
}
