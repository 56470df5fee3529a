import type { Searcher } from 'satchel/plugin'
import { METRES } from './tools/convert-units.js'

/** Finds units by name, for `satchel find`. */
export const unitSearcher: Searcher = {
  kind: 'unit',
  async search(query, limit) {
    const held = Object.entries(METRES).filter(([name]) => name === query.toLowerCase())
    const results = held.map(([name, size]) => ({
      text: `${name}: ${size} m`,
      open: { tool: 'convert_units', args: { value: 1, from: name, to: 'm' } },
    }))
    return { results: results.slice(0, limit), more: results.length > limit }
  },
}
