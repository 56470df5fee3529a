// The suite imports `globSync` from `fs`, which Node 20 does not have. This hook hands modules of that package a copy
// of `node:fs` with one that throws: the commands we run never call it.
import { register } from 'node:module'

const shim = `export * from 'node:fs'
export { default } from 'node:fs'
export function globSync() { throw new Error('globSync is not part of Node 20') }
`
const hooks = `
const shim = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(shim)}`)}
export function resolve(specifier, context, next) {
  const asks = specifier === 'fs' && /@modelcontextprotocol\\/conformance\\//.test(context.parentURL ?? '')
  return asks ? { url: shim, shortCircuit: true } : next(specifier, context)
}
`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
