import { defineRefusals } from '../contract/refusals.ts'

/** What the platform layer refuses to every plugin. */
export const refusals = defineRefusals({
  path_refused: {
    code: 'forbidden',
    message: 'That path is outside the folders this server may use.',
    next: 'Name a path inside them, or ask the operator to add it to http.roots.',
  },
})
