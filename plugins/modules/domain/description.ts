/** One sentence or paragraph that says what a module is. */
import { headingsOf, paragraphsOf } from './prose.ts'

/** A description has at least this much prose and at most that many characters. design modules 4 */
const MIN_CHARS = 25
const MAX_CHARS = 600

/** Where a description may come from: the README, and the top comments in the order they are tried. */
export interface DescriptionSources {
  readonly readme: string
  readonly topComments: readonly string[]
}

/**
 * The first of: a paragraph of the README, a paragraph of a top comment, a heading of two or more words, `""`.
 * White space is collapsed; a long text is cut at a word.
 */
export function describe(sources: DescriptionSources): string {
  const fromReadme = firstLongEnough(paragraphsOf(sources.readme))
  if (fromReadme !== undefined) return cut(fromReadme)
  for (const comment of sources.topComments) {
    const found = firstLongEnough(commentParagraphs(comment))
    if (found !== undefined) return cut(found)
  }
  return cut(headingsOf(sources.readme).find((heading) => heading.split(' ').length >= 2) ?? '')
}

const LEGAL =
  /copyright|licensed under|licenses?\/|\bthe (?:\w+ )?licen[cs]e\b|spdx|warrant|all rights reserved/i
const DIRECTIVE =
  /^(?:tflint|tfsec|checkov|trivy|kics|terraform-docs|vim|yamllint|nosemgrep|region|endregion)\b[-: ]?/i
const RULE = /^[^\p{L}\p{N}]*$/u

/** Paragraphs of a comment without licence texts, rules and directives to tools. */
function commentParagraphs(comment: string): string[] {
  const lines = comment.split('\n').map((line) => line.replace(/^[\s#/*=-]+|[\s#*=-]+$/g, ''))
  const kept = lines.map((line) => (RULE.test(line) || DIRECTIVE.test(line) ? '' : line))
  const paragraphs = kept.join('\n').split(/\n{2,}/)
  return paragraphs.map(collapse).filter((paragraph) => paragraph !== '' && !LEGAL.test(paragraph))
}

function firstLongEnough(paragraphs: Iterable<string>): string | undefined {
  for (const paragraph of paragraphs) if (paragraph.length >= MIN_CHARS) return paragraph
  return undefined
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function cut(text: string): string {
  if (text.length <= MAX_CHARS) return text
  const head = text.slice(0, MAX_CHARS + 1)
  const space = head.lastIndexOf(' ')
  const end = space > 0 ? space : MAX_CHARS
  return text
    .slice(0, end)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()
}
