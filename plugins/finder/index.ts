import * as z from 'zod'
import { definePlugin } from '../../server/plugin.ts'
import { refusals } from './reasons.ts'
import { findTool } from './tools/satchel-find.ts'

/** One search over what all plugins store. */
export const plugin = definePlugin({
  name: 'finder',
  version: '0.1.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async (host) => ({ tools: [findTool(host)], refusals }),
})
