import type { Measurement } from './contract/advanced/measurement.ts'
import type { Log } from './contract/context.ts'
import { within } from './platform/within.ts'
import type { Registry } from './registry.ts'

/** Time for one plugin to measure. */
const LIMIT_MS = 1_000
const NAME = /^[a-z][a-z0-9_]{0,60}$/

/** What the plugins measure now, under whole names. A plugin that fails or is slow is left out, and the log says so. */
export async function measurementsOf(
  { instances }: Pick<Registry, 'instances'>,
  log: Log,
): Promise<readonly Measurement[]> {
  const each = await Promise.all(
    instances.map(async ({ plugin, instance }) => {
      try {
        const late = () => new Error(`it took longer than ${LIMIT_MS} ms`)
        const found = await within(LIMIT_MS, late, async () => instance.measurements?.() ?? [])
        const prefix = `satchel_${plugin.replaceAll(/[^a-z0-9]/g, '_')}`
        return found.filter(isUsable).map((one) => ({ ...one, name: `${prefix}_${one.name}` }))
      } catch (error) {
        log.warn('a plugin could not be measured', { plugin, error })
        return []
      }
    }),
  )
  return each.flat()
}

/** A plugin in plain JavaScript may give anything: one wrong line would spoil the whole answer. */
function isUsable({ name, kind, unit, value }: Measurement): boolean {
  const isNamed = NAME.test(name) && (unit === undefined || name.endsWith(`_${unit}`))
  return isNamed && ['gauge', 'counter'].includes(kind) && Number.isFinite(value) && !name.endsWith('_total')
}
