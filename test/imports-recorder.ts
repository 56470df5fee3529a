import { appendFileSync } from 'node:fs'
import { register } from 'node:module'

/** Preloaded into a process whose imports a test wants to know: each resolved address goes as a line into the file that IMPORTS_FILE names. */

type Next = (specifier: string, context: unknown) => Promise<{ url: string }>

/** The hook of `node:module`. */
export async function resolve(specifier: string, context: unknown, next: Next): Promise<{ url: string }> {
  const resolved = await next(specifier, context)
  appendFileSync(process.env['IMPORTS_FILE'] ?? '', `${resolved.url}\n`)
  return resolved
}

if (process.env['IMPORTS_HOOKED'] !== 'yes') {
  process.env['IMPORTS_HOOKED'] = 'yes'
  register(import.meta.url)
}
