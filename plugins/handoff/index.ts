import { definePlugin } from '../../server/plugin.ts'
import { handoffConfig } from './config.ts'
import { createHandoffs } from './project.ts'
import { schemaResource } from './resources.ts'
import { branchTool } from './tools/handoff-branch.ts'
import { checkPlanTool } from './tools/handoff-check-plan.ts'
import { createTool } from './tools/handoff-create.ts'
import { diffTool } from './tools/handoff-diff.ts'
import { freshnessTool } from './tools/handoff-freshness.ts'
import { getTool } from './tools/handoff-get.ts'
import { lineageTool } from './tools/handoff-lineage.ts'
import { listTool } from './tools/handoff-list.ts'
import { mergeTool } from './tools/handoff-merge.ts'
import { resumeTool } from './tools/handoff-resume.ts'
import { transitionTool } from './tools/handoff-transition.ts'
import { updateTool } from './tools/handoff-update.ts'
import { validateTool } from './tools/handoff-validate.ts'

/** One line per tool; what each does stands in its file. */
const TOOLS = [
  createTool,
  validateTool,
  resumeTool,
  getTool,
  listTool,
  updateTool,
  transitionTool,
  branchTool,
  mergeTool,
  diffTool,
  lineageTool,
  freshnessTool,
  checkPlanTool,
]

/** Handoff records: what a session leaves for the next one. */
export const plugin = definePlugin({
  name: 'handoff',
  version: '0.1.0',
  apiVersion: 1,
  config: handoffConfig,
  async setup(host, config) {
    const handoffs = createHandoffs(host, config)
    return {
      tools: TOOLS.map((tool) => tool(handoffs)),
      resources: [schemaResource()],
    }
  },
})
