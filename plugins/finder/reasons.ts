import { defineRefusals } from '../../server/plugin.ts'

/** The refusals of this plugin. */
export const refusals = defineRefusals({
  query_empty: {
    code: 'invalid',
    message: 'The query has no letter and no digit.',
    next: 'Name what is to be found in a few words.',
  },
  query_unreadable: {
    code: 'invalid',
    reason: 'options_invalid',
    message: 'The query must be readable text of 1 to 500 characters.',
  },
})
