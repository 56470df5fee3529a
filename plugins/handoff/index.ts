import { definePlugin } from '../../server/plugin.ts'
import { handoffConfig } from './config.ts'
import { createHandoffs } from './project.ts'
import { schemaResource } from './resources.ts'
import { createTool } from './tools/handoff-create.ts'
import { transitionTool } from './tools/handoff-transition.ts'
import { updateTool } from './tools/handoff-update.ts'
import { validateTool } from './tools/handoff-validate.ts'

/** Handoff records: what a session leaves for the next one. */
export const plugin = definePlugin({
  name: 'handoff',
  version: '0.1.0',
  apiVersion: 1,
  config: handoffConfig,
  async setup(host, config) {
    const handoffs = createHandoffs(host, config)
    return {
      tools: [createTool(handoffs), validateTool(handoffs), transitionTool(handoffs), updateTool(handoffs)],
      resources: [schemaResource()],
    }
  },
})
