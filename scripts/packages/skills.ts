import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** A skill of one plugin, as clients read it from `skills/NAME/SKILL.md`. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** The whole file. */
  readonly text: string
}

/** The `skill.md` of every plugin. Errors: a file without front matter. */
export function loadSkills(): readonly Skill[] {
  const files = readdirSync('plugins').map((plugin) => join('plugins', plugin, 'skill.md'))
  return files.filter(existsSync).map((path) => {
    const text = readFileSync(path, 'utf8')
    const [, head] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? []
    if (head === undefined) throw new Error(`${path} has no front matter`)
    const { name, description } = parse(head)
    return { name: String(name), description: String(description), text }
  })
}
