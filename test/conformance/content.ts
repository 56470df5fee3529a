import type { RawTool, WireResult } from '../../server/mcp/raw-table.ts'

/** One red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
/** A WAV header and no sample. */
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

/** One block of text as a whole result. */
export function text(value: string): WireResult {
  return { content: [{ type: 'text', text: value }] }
}

/** A tool of the suite: its name, its arguments' schema, and what it answers. */
export function rawTool(
  name: string,
  call: RawTool['call'],
  properties: Record<string, unknown> = {},
): RawTool {
  const inputSchema = { type: 'object', properties }
  return {
    descriptor: { name, description: `What the conformance suite expects of ${name}.`, inputSchema },
    call,
  }
}
