import { counted } from '../../../server/plugin.ts'
import { quoted } from './quoted.ts'

/** What a caller should know of results of which none is about the query. */
export const ONLY_NEAREST = 'Nothing fits: these are only the nearest.'

/** The headline of results of which none is about the query. */
export function nearestHeadline(query: string, results: number): string {
  return `Nothing fits ${quoted(query)}; the nearest ${counted(results, 'module')}`
}

/** What there is in place of a provider that no module has. */
export function knownProviders(known: readonly string[]): string {
  return known.length === 0 ? 'No module has a provider.' : `Known providers: ${known.join(', ')}.`
}

/** What there is in place of a ref that no module has. */
export function unknownRef(asked: string, nearest: readonly string[]): string {
  const near = nearest.length === 0 ? '' : ` Nearest: ${nearest.join(', ')}.`
  return `No such module has the ref ${quoted(asked)}.${near}`
}
