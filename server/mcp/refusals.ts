import { defineRefusals } from '../contract/refusals.ts'

/** The refusals of the MCP door, in addition to the errors of the protocol. */
export const refusals = defineRefusals({
  method_not_allowed: {
    code: 'invalid',
    message: 'This address takes another method.',
    next: 'POST messages here, or GET with Accept: text/event-stream.',
  },
  stream_method: {
    code: 'invalid',
    reason: 'method_not_allowed',
    message: 'This address takes another method.',
    next: 'GET opens the stream.',
  },
  message_method: {
    code: 'invalid',
    reason: 'method_not_allowed',
    message: 'This address takes another method.',
    next: 'POST messages here.',
  },
  session_limit: { code: 'rate_limited', message: 'Too many sessions are open.', next: 'End one first.' },
  stream_limit: {
    code: 'rate_limited',
    message: 'At most {count} streams can be open.',
    next: 'Close one first.',
  },
  subscription_limit: {
    code: 'rate_limited',
    message: 'At most {count} subscription streams can be open.',
    next: 'End one first.',
  },
  watched_limit: {
    code: 'rate_limited',
    reason: 'subscription_limit',
    message: 'At most {count} resources can be watched.',
    next: 'Unsubscribe from one first.',
  },
  permission_denied: { code: 'forbidden', message: 'This session may not read, so it cannot subscribe.' },
  page_cursor: {
    code: 'invalid',
    message: 'The cursor belongs to another call or is damaged.',
    next: 'Send it with the arguments of the call that gave it, or call without it.',
  },
  page_changed: {
    code: 'conflict',
    message: 'The answer has changed since its first page.',
    next: 'Call again without the cursor.',
  },
  resource_answer: {
    code: 'internal',
    message: 'The plugin "{plugin}" failed to give the resource {uri}.',
    next: 'See the log.',
  },
  resource_too_large: {
    code: 'too_large',
    message: 'The resource {uri} is larger than {bytes} bytes.',
    next: 'Ask a tool for a part of it.',
  },
  prompt_answer: {
    code: 'internal',
    message: 'The plugin "{plugin}" failed to give the prompt "{prompt}".',
    next: 'See the log.',
  },
  prompt_too_large: {
    code: 'too_large',
    message: 'The prompt "{prompt}" is larger than {bytes} bytes.',
    next: 'Give it arguments that ask for less, or call a tool instead.',
  },
  plugin_shape: {
    code: 'invalid',
    message: 'A field of the tool "{tool}" has no JSON Schema: {fault}.',
    next: 'Declare it as a type that JSON has.',
  },
})
