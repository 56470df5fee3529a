import { errorBody, type SatchelError } from '../contract/errors.ts'
import { cleanText } from '../platform/untrusted.ts'
import type { WireResult } from './raw-table.ts'

/** Returns the error of a tool as a result, both as one line of text and as data (surface, section 4). */
export function errorResult(error: SatchelError): WireResult & { content: unknown[] } {
  return {
    isError: true,
    content: [{ type: 'text', text: errorLine(error) }],
    structuredContent: { error: errorBody(error) },
  }
}

function errorLine({ code, reason, message, details, next }: SatchelError): string {
  if (code === 'internal') return `Internal error (log id ${String(details?.['log_id'])})`
  const text = cleanText(message).replaceAll('\n', ' ')
  return `${code}/${reason}: ${text}${next ? ` Next: ${next.tool} ${JSON.stringify(next.args)}` : ''}`
}
