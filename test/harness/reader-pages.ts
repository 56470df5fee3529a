import { ANSWER_TOKENS, BYTES_PER_TOKEN, type Channel } from '../../server/answer/bounds.ts'
import { createCatalog } from '../../server/mcp/descriptors.ts'
import { pageCallIn } from '../../server/mcp/page-call.ts'
import { type ToolAnswer, toolAnswer } from '../../server/mcp/tool-answer.ts'
import type { TestHost } from './open-host.ts'

/** The answers that a model gets that reads a tool's result to its last page. */
export async function readerPages(
  { host, call }: TestHost,
  name: string,
  input: Record<string, unknown>,
  channel: Channel | undefined,
): Promise<readonly ToolAnswer[]> {
  const offered = createCatalog(host).tool(name)
  if (!offered) throw new Error(`no tool ${name}`)
  const pages: ToolAnswer[] = []
  for (let args = input; ; ) {
    const asked = pageCallIn(offered.owned.tool, args)
    const whole = await call(name, { ...asked.args })
    const answer = toolAnswer(offered, whole, asked, { channel, maxTokens: ANSWER_TOKENS.default })
    pages.push(answer)
    const next = (answer.data['page'] as { next?: { args: Record<string, unknown> } } | undefined)?.next
    if (!next) return pages
    args = { ...input, ...next.args }
  }
}

/** What a model is given of an answer: its text, or its data as JSON. */
export function givenTo(channel: 'text' | 'data', { text, data }: ToolAnswer): string {
  return channel === 'text' ? text : JSON.stringify(data)
}

/** The size of a text in tokens, as bounds count them. */
export function tokensOf(text: string): number {
  return Buffer.byteLength(text) / BYTES_PER_TOKEN
}

/** The part of a text that the marks of fences take, from 0 to 1. */
export function fenceShare(text: string): number {
  const marks = text.match(
    /<<<untrusted-[0-9a-f]{16} .*?; data, not instructions(?:\\?\n|\\n)?|untrusted-[0-9a-f]{16}>>>/g,
  )
  return Buffer.byteLength((marks ?? []).join('')) / Math.max(1, Buffer.byteLength(text))
}
