import * as z from 'zod'
import { counted, once, quoting } from '../../../server/plugin.ts'
import { CHANGE_CLASSES } from '../domain/change.ts'

const place = { file: z.string().optional(), line: z.number().int() }
const classes = z.enum(CHANGE_CLASSES)

/** What `module_upgrade` and `satchel modules upgrade` answer. */
export const upgradeAnswer = once(() =>
  z.object({
    calls: quoting(
      z.array(
        z.object({
          ...place,
          name: z.string(),
          repository: z.string(),
          path: z.string(),
          from: z.string(),
          to: z.string(),
          verdict: z
            .enum([...CHANGE_CLASSES, 'none'])
            .describe('The worst class of the changes that concern this call; none: no change does.'),
          changes: z
            .array(
              z.object({
                class: classes,
                code: z.string(),
                subject: z.string(),
                message: z.string(),
                line: z.number().int().optional(),
                file: z.string().optional(),
              }),
            )
            .describe('Those that concern this call.'),
          others: z
            .number()
            .int()
            .describe('Changes that do not, or are more of the code to be reviewed; module_diff lists them.'),
          renames: z
            .array(
              z.object({
                kind: z.enum(['input', 'output']),
                from: z.string(),
                to: z.string(),
                why: z.string(),
              }),
            )
            .describe('Guesses.'),
          edited: z
            .string()
            .optional()
            .describe('The block for the new version; absent where it cannot be edited for sure.'),
          remaining: z
            .array(z.object({ line: z.number().int(), code: z.string(), message: z.string() }))
            .describe('What module_check finds in the edited block.'),
          changelog: z
            .object({
              versions: z.array(z.string()),
              text: z.string(),
              shortened: z.literal(true).optional(),
            })
            .optional(),
        }),
      ),
    ),
    skipped: z.array(z.object({ ...place, name: z.string(), reason: z.string(), message: z.string() })),
  }),
)

export type UpgradeAnswer = z.output<ReturnType<typeof upgradeAnswer>>

/** One line about an upgrade. */
export function upgradeHeadline({ calls, skipped }: UpgradeAnswer): string {
  const rest = skipped.length === 0 ? '' : `; ${counted(skipped.length, 'call')} left as written`
  const [only] = calls.length === 1 ? calls : []
  if (only !== undefined)
    return `${only.name}: ${only.from} -> ${only.to}: ${only.verdict}, ${counted(only.changes.length, 'change')} of concern${rest}`
  const breaking = calls.filter(({ verdict }) => verdict === 'breaking').length
  return `${counted(calls.length, 'call')} to upgrade, ${breaking} of them breaking${rest}`
}
