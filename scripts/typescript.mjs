/**
 * Loaded with `--import`: this process runs the TypeScript of this repository, its types stripped (decision 185). Node 20 runs
 * the hooks in a thread of their own, and each import waits for it. With `--expose-internals` they run in this thread, which
 * saves a third of a start (decision 199).
 */
import { createRequire, register } from 'node:module'
import * as hooks from './typescript-hooks.mjs'

const data = { folder: process.env.STRIPPED_SOURCES }
const loader = process.version.startsWith('v20.') ? exposedLoader() : undefined

if (loader) {
  const { resolve, load } = loader
  hooks.initialize(data)
  loader.resolve = (specifier, parentURL, attributes) =>
    hooks.resolve(specifier, { parentURL }, () => resolve.call(loader, specifier, parentURL, attributes))
  loader.load = (url, context) => hooks.load(url, context, () => load.call(loader, url, context))
} else {
  register('./typescript-hooks.mjs', import.meta.url, { data })
}

function exposedLoader() {
  try {
    return createRequire(import.meta.url)('internal/modules/esm/loader').getOrInitializeCascadedLoader()
  } catch {
    return undefined
  }
}
