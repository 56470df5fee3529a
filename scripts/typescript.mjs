/**
 * Loaded with `--import`: this process runs the TypeScript of this repository, its types stripped (decision 185). Node 20 runs
 * the hooks in a thread of their own, and each import waits for it. With `--expose-internals` they run in this thread, which
 * saves a third of a start, until other hooks are registered (decision 199).
 */
import { createRequire, register } from 'node:module'
import * as hooks from './typescript-hooks.mjs'

const data = { folder: process.env.STRIPPED_SOURCES }
const registerHooks = () => register('./typescript-hooks.mjs', import.meta.url, { data })

const loader = process.version.startsWith('v20.') ? exposedLoader() : undefined
if (loader) runHooksHere()
else registerHooks()

function exposedLoader() {
  try {
    return createRequire(import.meta.url)('internal/modules/esm/loader').getOrInitializeCascadedLoader()
  } catch {
    return undefined
  }
}

/** Hides three methods of the loader behind properties of their names. */
function runHooksHere() {
  const { resolve, load } = loader
  hooks.initialize(data)
  loader.resolve = (specifier, parentURL, attributes) =>
    hooks.resolve(specifier, { parentURL }, () => resolve.call(loader, specifier, parentURL, attributes))
  loader.load = (url, context) => hooks.load(url, context, () => load.call(loader, url, context))
  // Hooks of others are asked first, and then ask these.
  loader.register = (...given) => {
    for (const name of ['resolve', 'load', 'register']) delete loader[name]
    registerHooks()
    return loader.register(...given)
  }
}
