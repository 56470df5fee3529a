import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { outputOf } from './program-output.ts'

/** npm packages of rivals in a folder of their own each; nothing is installed into a project. */
export interface PackageCache {
  /** The folder in which the packages are installed, without their scripts. Errors: what npm said. */
  install(packages: readonly string[]): Promise<string>
  /** The program that a package installs as `name`. */
  program(packages: readonly string[], name: string): Promise<string>
  /** A program of ours that imports the packages. */
  script(packages: readonly string[], name: string, text: string): Promise<string>
}

const INSTALL = [
  'install',
  '--ignore-scripts',
  '--save-exact',
  '--no-audit',
  '--no-fund',
  '--fetch-retries=1',
]
/** A registry that is busy for a moment is asked once more. */
const TRIES = 2
/** A Node.js that has SQLite, by its package for this machine: the one named `node` fetches it in a script. */
export const NODE_22 = [`node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}@22`]

/** Written last: an install that was cut off is repeated. */
const STAMP = 'installed'

/** Keeps packages in `folder`. `npm`: the command, for tests. */
export function openPackageCache(
  folder: string,
  { signal, npm = ['npm'] }: { readonly signal: AbortSignal; readonly npm?: readonly string[] },
): PackageCache {
  const install = async (packages: readonly string[]): Promise<string> => {
    const place = join(folder, packages.join('+').replace(/[^A-Za-z0-9.+-]/g, '_'))
    if (existsSync(join(place, STAMP))) return place
    await mkdir(place, { recursive: true })
    await writeFile(join(place, 'package.json'), '{"private":true}')
    for (let tries = 1; ; tries += 1) {
      try {
        await outputOf([...npm, ...INSTALL, ...packages], { cwd: place, signal })
        break
      } catch (thrown) {
        if (tries === TRIES) throw new Error(npmSaid(thrown))
      }
    }
    await writeFile(join(place, STAMP), '')
    return place
  }
  return {
    install,
    async program(packages, name) {
      return await realpath(join(await install(packages), 'node_modules', '.bin', name))
    },
    async script(packages, name, text) {
      const path = join(await install(packages), name)
      if ((await readFile(path, 'utf8').catch(() => '')) !== text) await writeFile(path, text)
      return path
    },
  }
}

/** The lines of an error of npm that say what was wrong. */
function npmSaid(thrown: unknown): string {
  const lines = String(thrown instanceof Error ? thrown.message : thrown).split('\n')
  const told = lines.flatMap((line) => /^npm (?:error|ERR!) (?!A complete log)(.+)/.exec(line)?.[1] ?? [])
  return `not installed: ${(told.length > 0 ? told : lines).slice(0, 4).join('; ')}`
}
