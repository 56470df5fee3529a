import { defineRefusals } from '../contract/refusals.ts'

/** What the platform layer refuses to every plugin. */
export const refusals = defineRefusals({
  path_refused: {
    code: 'forbidden',
    message: 'That path is outside the folders this server may use.',
    next: 'Name a path inside them, or ask the operator to add it to http.roots.',
  },
  path_unusable: {
    code: 'forbidden',
    reason: 'path_refused',
    message: 'A path is not empty, has at most {limit} characters and no NUL.',
    next: 'Name a file or a folder.',
  },
  project_not_found: {
    code: 'not_found',
    message: 'The project {path} does not exist.',
    next: 'Name an existing folder, or create it first.',
  },
  project_not_a_folder: {
    code: 'not_found',
    reason: 'project_not_found',
    message: 'The project {path} is a file, not a folder.',
    next: 'Name the folder that contains it.',
  },
  project_not_readable: {
    code: 'not_found',
    reason: 'project_not_found',
    message: 'The project {path} cannot be opened by this user ({error}).',
    next: 'Name a folder that this user may read.',
  },
})
