import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SetupOption } from '../builtin-plugins.ts'
import type { SetupPlace } from './folders.ts'
import type { Target } from './targets.ts'

/** What a person is told after a setup with these options: what to do, and what the hooks of a client do not do. */
export function notesAfter(
  targets: readonly Target[],
  options: readonly SetupOption[],
  { projectRoot }: Pick<SetupPlace, 'projectRoot'>,
): readonly string[] {
  const withHooks = options.filter(({ hooks = [] }) => hooks.length > 0)
  const ofTargets = targets.flatMap((target) => notesOf(target, withHooks))
  const firstSteps = withHooks.flatMap((option) => {
    const { firstStep } = option
    const isUsed = targets.some((target) => hasHooks(target, option))
    return firstStep && isUsed && !existsSync(join(projectRoot, firstStep.folder)) ? [firstStep.text] : []
  })
  return [...ofTargets, ...firstSteps]
}

function notesOf(target: Target, options: readonly SetupOption[]): readonly string[] {
  const { client, scope } = target
  const used = options.filter((option) => hasHooks(target, option))
  const partly = used.filter(({ hooks = [] }) => hooks.some(({ event }) => event === COMPACTION))
  const missing = options.filter((option) => !hasHooks(target, option))
  return [
    client.afterwards?.[scope],
    used.length > 0 ? client.hooks?.afterwards : undefined,
    ...partly.map(
      ({ withoutHooks = '' }) => client.hooks?.gap && `${client.hooks.gap} ${withoutHooks}`.trim(),
    ),
    ...missing.map(({ name, withoutHooks = '' }) =>
      `satchel does not set up --${name.replaceAll('_', '-')} for ${client.title}. ${withoutHooks}`.trim(),
    ),
  ].filter((note) => note !== undefined)
}

const COMPACTION = 'pre-compact'

function hasHooks({ client }: Target, { hooks = [] }: SetupOption): boolean {
  return hooks.some(({ event }) => client.hooks?.events[event] !== undefined)
}
