import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import vm from 'node:vm'

/*
 * Runs the files of a build, which are CommonJS: Node 20 cannot keep the compiled code of ES modules, and keeps that of
 * scripts if it is given to it. `scripts/merge-chunks.ts` bundles this file by itself; every entry of the package imports
 * it, so that all of them have the same instances.
 */

/** Of the content of the build. */
declare const BUILD: string

type Exports = Readonly<Record<string, unknown>>

/** A file that was compiled. */
export interface CompiledFile {
  readonly name: string
  readonly script: vm.Script
  /** Bytes of kept code that V8 took for it; 0 if it had to compile the file. */
  readonly kept: number
}

/** What the files of a build find in a variable of this name, where this loads them. */
export interface BuiltFiles {
  readonly build: string
  readonly folder: string
  /** `import()` of what is not part of the build. Code that was kept has lost how to do that. */
  importModule(id: string): Promise<unknown>
  /** Asks `read` for the code of each file that is loaded from now on, and lists these files. */
  useCode(read: (name: string) => Buffer | undefined): readonly CompiledFile[]
}

const FOLDER = dirname(fileURLToPath(import.meta.url))
const FUNCTION = '(function(exports,require,module,__filename,__dirname,builtFiles){'
const loaded = new Map<string, Exports>()
const compiled: CompiledFile[] = []
const nodeRequire = nodeModule.createRequire(import.meta.url)
let readCode: ((name: string) => Buffer | undefined) | undefined

const builtFiles: BuiltFiles = {
  build: BUILD,
  folder: FOLDER,
  importModule: (id) => import(id),
  useCode(read) {
    readCode = read
    return compiled
  },
}

/** Runs a file of the build, by its path in there; each once. Node 22.1 and later keep compiled code by themselves. */
export function load(name: string): Exports {
  const path = join(FOLDER, name)
  return 'enableCompileCache' in nodeModule ? nodeRequire(path) : run(path)
}

function run(path: string): Exports {
  const known = loaded.get(path)
  if (known) return known
  const module = { exports: {} }
  loaded.set(path, module.exports)
  const folder = dirname(path)
  const require = (id: string): unknown => (id.startsWith('.') ? run(join(folder, id)) : nodeRequire(id))
  try {
    compile(path).runInThisContext()(module.exports, require, module, path, folder, builtFiles)
  } catch (thrown) {
    loaded.delete(path)
    throw thrown
  }
  return module.exports
}

function compile(path: string): vm.Script {
  const name = path.slice(FOLDER.length + 1).replaceAll(/[\\/]/g, '+')
  const cachedData = readCode?.(name)
  const script = new vm.Script(`${FUNCTION}${readFileSync(path, 'utf8')}\n})`, {
    filename: path,
    columnOffset: -FUNCTION.length,
    ...(cachedData && { cachedData }),
  })
  if (readCode)
    compiled.push({ name, script, kept: script.cachedDataRejected === false ? (cachedData?.length ?? 0) : 0 })
  return script
}
