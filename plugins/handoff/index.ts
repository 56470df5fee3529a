import { type BackupStore, changedTool, definePlugin, type Finding, type Tool } from '../../server/plugin.ts'
import { examineStore, NO_STORE } from './actions/doctor.ts'
import { logCall } from './actions/log-retention.ts'
import { filesNotice } from './actions/records-in-files.ts'
import type { StoreProblem } from './domain/problem-page.ts'
import { gitMergeCommand } from './git-merge.ts'
import { HANDOFF, hookParts } from './hook-plugin.ts'
import { createHandoffs, type HandoffSeams, type Handoffs } from './project.ts'
import { handoffPrompts } from './prompts.ts'
import { refusals } from './reasons.ts'
import { handoffResources } from './resources.ts'
import { recordSearcher } from './searcher.ts'
import { branchTool } from './tools/handoff-branch.ts'
import { checkPlanTool } from './tools/handoff-check-plan.ts'
import { createTool } from './tools/handoff-create.ts'
import { detectTool } from './tools/handoff-detect.ts'
import { diffTool } from './tools/handoff-diff.ts'
import { doctorTool } from './tools/handoff-doctor.ts'
import { exportTool } from './tools/handoff-export.ts'
import { freshnessTool } from './tools/handoff-freshness.ts'
import { getTool } from './tools/handoff-get.ts'
import { importTool } from './tools/handoff-import.ts'
import { lineageTool } from './tools/handoff-lineage.ts'
import { listTool } from './tools/handoff-list.ts'
import { mergeTool } from './tools/handoff-merge.ts'
import { noteTool } from './tools/handoff-note.ts'
import { redactTool } from './tools/handoff-redact.ts'
import { repairTool } from './tools/handoff-repair.ts'
import { resumeTool } from './tools/handoff-resume.ts'
import { transitionTool } from './tools/handoff-transition.ts'
import { updateTool } from './tools/handoff-update.ts'
import { validateTool } from './tools/handoff-validate.ts'

const MACHINE_ONLY = /^\.(cache|local|locks|tmp)(\/|$)/

/** One line per tool. */
const TOOLS = [
  createTool,
  validateTool,
  resumeTool,
  getTool,
  listTool,
  updateTool,
  noteTool,
  transitionTool,
  branchTool,
  mergeTool,
  diffTool,
  lineageTool,
  freshnessTool,
  checkPlanTool,
  redactTool,
  exportTool,
  importTool,
  detectTool,
  doctorTool,
  repairTool,
]

/** Handoff records, which one session writes for the next. */
export const plugin = handoffPlugin()

/** The plugin with what tests replace. */
export function handoffPlugin(seams?: HandoffSeams) {
  return definePlugin({
    ...HANDOFF,
    async setup(host, config) {
      const handoffs = createHandoffs(host, config, seams)
      const { commands, ...parts } = hookParts(handoffs, host)
      return {
        ...parts,
        tools: TOOLS.map((tool) => logged(handoffs, tool(handoffs))),
        refusals,
        searchers: [recordSearcher(handoffs)],
        resources: handoffResources(handoffs),
        prompts: handoffPrompts(handoffs),
        commands: [...commands, gitMergeCommand(host)],
        doctor: () => storeFindings(handoffs),
        stores: async () => (host.database ? [] : [await storeToBackUp(handoffs)]),
      }
    },
  })
}

/** The tool, with its calls kept for the retention of a session that went through a compaction. */
function logged(handoffs: Handoffs, tool: Tool): Tool {
  return changedTool<Tool>(tool, {
    async handler(ctx, input) {
      const output = await tool.handler(ctx, input)
      const { project } = input as { readonly project?: string } // a field of every tool of this plugin
      const { verdict } = output as { readonly verdict?: unknown } // of `handoff_check_plan`
      const told = tool.name === 'handoff_check_plan' && typeof verdict === 'string' ? { verdict } : {}
      await logCall(ctx, () => handoffs.project(ctx, project), { tool: tool.name, ...told })
      return output
    },
  })
}

/** Records and settings of the project's store; what belongs to this machine or can be computed again is left out. */
async function storeToBackUp(handoffs: Handoffs): Promise<BackupStore> {
  const { folder } = (await handoffs.ownProject()).store.layout
  return { name: 'handoffs', parts: [{ name: 'store', path: folder, except: MACHINE_ONLY }] }
}

/** Problems in which records are out of reach, or cannot be written. */
const GRAVE: ReadonlySet<StoreProblem['kind']> = new Set([
  'unusable_store',
  'damaged_record',
  'lineage_cycle',
])

/** The findings of `satchel doctor` about the project's store. */
async function storeFindings(handoffs: Handoffs): Promise<readonly Finding[]> {
  const project = await handoffs.ownProject()
  const subject = 'handoff store'
  const problems = await examineStore(project, handoffs.now().getTime(), handoffs.clock())
  if (problems.length === 0) {
    const [inFiles] = await filesNotice(project)
    if (inFiles !== undefined) return [{ level: 'warning', subject, detail: inFiles }]
    const detail = (await project.store.exists()) ? 'no problem found' : NO_STORE
    return [{ level: 'ok', subject, detail }]
  }
  return problems.map(({ kind, path, detail }) => ({
    level: GRAVE.has(kind) ? 'problem' : 'warning',
    subject: `${subject}: ${path}`,
    detail,
    next: { tool: 'handoff_doctor', args: {} },
  }))
}
