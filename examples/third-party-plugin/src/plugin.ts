import { definePlugin } from 'satchel/plugin'
import * as z from 'zod'
import { unitSearcher } from './searcher.js'
import { convertUnitsTool, refusals } from './tools/convert-units.js'

export default definePlugin({
  name: 'units',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({
    decimals: z.int().min(0).max(12).default(2).describe('digits after the point'),
  }),
  setup: async (_host, config) => ({
    tools: [convertUnitsTool(config.decimals)],
    refusals,
    searchers: [unitSearcher],
  }),
})
