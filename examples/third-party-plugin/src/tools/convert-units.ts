import { defineRefusals, defineTool, type Tool } from 'satchel/plugin'
import * as z from 'zod'

/** Metres in one of each unit. */
export const METRES: Readonly<Record<string, number>> = { m: 1, km: 1000, mile: 1609.344, inch: 0.0254 }

/** What this plugin refuses: exported, so that the declarations of a table are part of what is checked. */
export const refusals = defineRefusals({
  unknown_unit: { code: 'not_found', message: 'No unit is called "{unit}".', next: 'Use one of {units}.' },
})

/** The tool `convert_units`, with answers rounded to so many decimals. */
export function convertUnitsTool(decimals: number): Tool {
  return defineTool({
    name: 'convert_units',
    title: 'Convert a length',
    description: 'Converts a length between m, km, mile and inch. Returns the length in the unit asked for.',
    profile: 'standard',
    input: z.object({
      value: z.number().describe('the length'),
      from: z.string().describe('its unit'),
      to: z.string().describe('the unit wanted'),
    }),
    output: z.object({ value: z.number(), unit: z.string() }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'POST', path: '/units/convert' },
    cli: { verb: 'units convert', positional: ['value', 'from', 'to'] },
    example: { value: 2, from: 'km', to: 'm' },
    async handler(_ctx, { value, from, to }) {
      const metres = value * sizeOf(from)
      return { value: Number((metres / sizeOf(to)).toFixed(decimals)), unit: to }
    },
    headline: ({ value, unit }) => `${value} ${unit}`,
  })
}

function sizeOf(unit: string): number {
  const size = METRES[unit]
  if (size !== undefined) return size
  throw refusals.unknown_unit({ unit, units: Object.keys(METRES).join(', ') })
}
