import type { Comment, HclFile } from './reader.ts'

const MAX_CHARS = 8_000

/**
 * The comments above the first item of a file, without their markers; an empty line between comment blocks that an
 * empty line parts. Undefined when the file starts with an item. A comment right above `data` or `locals` is about
 * that block, not about the module.
 */
export function topComment(file: Pick<HclFile, 'comments' | 'blocks' | 'attributes'>): string | undefined {
  const [attribute] = file.attributes.values()
  const firstItem = Math.min(
    attribute?.line ?? Number.POSITIVE_INFINITY,
    file.blocks[0]?.line ?? Number.POSITIVE_INFINITY,
  )
  const above = file.comments.filter(({ line }) => line < firstItem)
  const attached = /^(?:data|locals)$/.test(file.blocks[0]?.type ?? '') && firstItem === file.blocks[0]?.line
  let text = ''
  let lastLine = 0
  for (const comment of attached ? withoutAttached(above, firstItem) : above) {
    if (text.length > MAX_CHARS) break
    const gap = lastLine > 0 && comment.line > lastLine + 1 ? '\n' : ''
    text += `${gap}${withoutMarkers(comment)}\n`
    lastLine = comment.endLine
  }
  return text.trim() === '' ? undefined : text.slice(0, MAX_CHARS).trimEnd()
}

function withoutMarkers({ text }: Comment): string {
  if (!text.startsWith('/*')) return text.replace(/^(?:#+|\/\/+)[ \t]?/, '')
  const inside = text.slice(2).replace(/\*+\/$/, '')
  return inside
    .split('\n')
    .map((line) => line.trim().replace(/^\*+[ \t]?/, ''))
    .join('\n')
    .trim()
}

/** The comments but those that touch the item, or touch a comment that does. */
function withoutAttached(comments: readonly Comment[], firstItem: number): readonly Comment[] {
  let touched = firstItem
  let count = comments.length
  while (count > 0 && comments[count - 1]?.endLine === touched - 1) {
    count -= 1
    touched = comments[count]?.line ?? 0
  }
  return comments.slice(0, count)
}
