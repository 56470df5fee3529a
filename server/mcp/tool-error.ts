import { ANSWER_TOKENS, BYTES_PER_TOKEN } from '../answer/bounds.ts'
import { pageOf } from '../answer/page.ts'
import { plainText } from '../answer/plain-text.ts'
import { errorBody, type SatchelError } from '../contract/errors.ts'
import { cleanText } from '../platform/untrusted.ts'
import type { WireResult } from './raw-table.ts'

/** Returns the error of a tool as a result: the same as text and as data (surface, section 4). */
export function errorResult(error: SatchelError): WireResult & { content: unknown[] } {
  const { details = {}, ...body } = errorBody(error)
  const page = pageOf(
    { ...details },
    {
      start: undefined,
      maxBytes: ANSWER_TOKENS.default * BYTES_PER_TOKEN,
      measure: ({ data }) => Buffer.byteLength(JSON.stringify(data)),
    },
  )
  const cut = page && page.parts.length > 0 ? { shown: page.parts } : undefined
  const data = { ...page?.data, ...cut }
  return {
    isError: true,
    content: [{ type: 'text', text: errorText(error, { ...page?.shown, ...cut }) }],
    structuredContent: { error: { ...body, ...(error.details && { details: data }) } },
  }
}

/** The message in one line, then everything that the details say, then the next step. */
function errorText(
  { code, reason, message, details, next }: SatchelError,
  shown: Record<string, unknown>,
): string {
  if (code === 'internal') return `Internal error (log id ${String(details?.['log_id'])})`
  const { errors, ...more } = shown
  const lines = [
    `${code}/${reason}: ${message.replaceAll('\n', ' ')}`,
    ...(errors === undefined ? [] : [plainText({ errors })]),
    plainText(more),
    next ? `Next: ${next.tool} ${JSON.stringify(next.args)}` : '',
  ]
  return cleanText(lines.filter((line) => line !== '').join('\n'))
}
