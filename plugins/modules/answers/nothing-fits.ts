import { counted } from '../../../server/plugin.ts'
import { quoted } from './quoted.ts'

/** What a caller should know of results of which none is about the query. */
export const ONLY_NEAREST = 'Nothing fits: these are only the nearest.'

/** The headline of results of which none is about the query. */
export function nearestHeadline(query: string, results: number): string {
  return `Nothing fits ${quoted(query)}; the nearest ${counted(results, 'module')}`
}
