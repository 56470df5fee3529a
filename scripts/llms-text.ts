import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `llms.txt`: what satchel is and its pages, each with the first sentence below its title. Links are relative to the file. */
export function llmsText(description: string): string {
  const pages = readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => linkTo(join('docs', name)))
  return `# satchel\n\n> ${description}\n\n## Pages\n\n${[linkTo('README.md'), ...pages].join('')}`
}

function linkTo(path: string): string {
  const text = readFileSync(path, 'utf8')
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path
  const [first = ''] = text
    .slice(text.indexOf(title) + title.length)
    .split('\n\n')
    .filter((block) => /^\w/.test(block.trim()))
  const sentence = /^[\s\S]*?[.:](?=\s|$)/.exec(first.trim())?.[0].replace(/\s+/g, ' ').replace(/[.:]$/, '')
  return `- [${title}](${path})${sentence ? `: ${sentence.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')}` : ''}\n`
}
