/**
 * The limits that the room enforces. Those of the specification name their source; the others are ours (design
 * workspace, section 11). The host sets the heartbeat and the frame buffer of a stream, the page its own reload.
 */
export const LIMITS = {
  /** spec workspace-events "Limits" */
  eventsKept: 2000,
  /** code points; spec workspace-events "Event envelope" */
  eventSummaryChars: 240,
  /** spec workspace-events "Limits" */
  documentResourceBytes: 1024 * 1024,
  /** spec workspace-events "Browser stream format" */
  retryMs: 5000,

  storedSummaryChars: 2000,
  requestBodyBytes: 1024 * 1024,
  documentBytes: 4 * 1024 * 1024,
  /** of all rows and texts (design workspace-engine, section 2) */
  roomBytes: 100 * 1024 * 1024,
  /** newest versions whose text is kept */
  versionTexts: 200,
  versionTextBytes: 32 * 1024 * 1024,
  proposalBytes: 256 * 1024,
  editsPerProposal: 100,
  /** newest settled proposals whose text is kept */
  settledProposalTexts: 200,
  pendingProposalsPerParticipant: 100,
  /** of the record of a handoff, and of its result */
  handoffRecordBytes: 256 * 1024,
  objectiveChars: 4000,
  /** besides those of the owner */
  liveSessions: 32,
  nameChars: 80,
  targetChars: 512,
  reasonChars: 2000,
  callsPerMinute: 600,
  joinsPerMinute: 10,
  leaseMinutes: 15,
  leaseMaxMinutes: 120,
  inviteMinutes: 60,
  inviteMaxMinutes: 7 * 24 * 60,
  inviteMaxUses: 1000,
  sessionMinutes: 8 * 60,
  /** After its end a session can be renewed. */
  renewalMinutes: 7 * 24 * 60,
  claimMinutes: 10,
  observeStreamsPerSession: 16,
  observeStreamsPerRoom: 256,
  idempotencyKeysPerParticipant: 1000,
  waitSeconds: 300,
  idempotencyHours: 24,
  listRows: 200,
  diffBytes: 16 * 1024,
  staleChanges: 20,
  lastSeenSeconds: 60,
} as const
