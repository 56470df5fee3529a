import { homedir } from 'node:os'
import { parse } from 'node:path'

/** The home of this user; the root for a user without one, as in a container that runs under a number. */
export function homeFolder(): string {
  try {
    return homedir()
  } catch {
    return parse(process.cwd()).root
  }
}
