/** THE ONE DOOR for plugins (published as `satchel/plugin`): the contract and what every plugin needs from the host. */
export type { Bench } from './contract/bench.ts'
export { defineBench } from './contract/bench.ts'
export type { Command, CommandContext, Terminal } from './contract/command.ts'
export { defineCommand } from './contract/command.ts'
export type { CallContext, Capability, ClientInfo, Credentials, Log, Principal } from './contract/context.ts'
export { CAPABILITIES } from './contract/context.ts'
export type { ErrorBody, ErrorCode, FieldError, NextStep } from './contract/errors.ts'
export { errorBody, isSatchelError, SatchelError } from './contract/errors.ts'
export type { Figure } from './contract/figure.ts'
export { figureOf } from './contract/figure.ts'
export { inWords } from './contract/in-words.ts'
export type { RecordError } from './contract/json-schema.ts'
export { record } from './contract/json-schema.ts'
export type { Finding, Host, Plugin, PluginInstance } from './contract/plugin.ts'
export { definePlugin } from './contract/plugin.ts'
export type { Prompt, PromptArgument } from './contract/prompt.ts'
export { definePrompt } from './contract/prompt.ts'
export type { RemoteMcp } from './contract/remote.ts'
export type { CacheHint, Resource, ResourceContent, ResourceEntry } from './contract/resource.ts'
export { defineResource } from './contract/resource.ts'
export type {
  Listener,
  OpenListener,
  Route,
  RouteContext,
  RouteDocument,
  RouteGuard,
} from './contract/route.ts'
export type { Inbox, Reading, Stream } from './contract/stream.ts'
export { defineStream } from './contract/stream.ts'
export type { TaskStarted, TaskState, Tasks } from './contract/task.ts'
export { taskStarted } from './contract/task.ts'
export type { Annotations, HttpRoute, Profile, Tool, TypedFiles, Verb } from './contract/tool.ts'
export { defineTool } from './contract/tool.ts'
export { quoting, untrusted } from './contract/untrusted.ts'
export { makeDirectoryDurably, syncDirectory, writeFileDurably } from './durable-file.ts'
export { counted } from './platform/counted.ts'
export { isJsonObject } from './platform/json-object.ts'
export { nearest } from './platform/nearest.ts'
export { matchesGlob } from './platform/path-glob.ts'
export { readRegularFile } from './platform/regular-file.ts'
export { cleanText, fenced } from './platform/untrusted.ts'
export { isZombie, processStart } from './process-start.ts'
