import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceChoice } from './trace-source.ts'

const AT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318' }

test('the standard variables decide whether and how spans are sent; what cannot be used is said', () => {
  const cases: readonly [Readonly<Record<string, string>>, string][] = [
    [{}, 'off'],
    [{ OTEL_SERVICE_NAME: 'satchel' }, 'off'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, 'off'],
    [AT, 'http/protobuf'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.test/spans' }, 'http/protobuf'],
    [{ ...AT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http/json'],
    [
      {
        ...AT,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      },
      'http/json',
    ],
    [{ ...AT, OTEL_SDK_DISABLED: 'TRUE' }, 'off'],
    [{ ...AT, OTEL_SDK_DISABLED: 'false' }, 'http/protobuf'],
    [{ ...AT, OTEL_TRACES_EXPORTER: 'none' }, 'off'],
    [{ ...AT, OTEL_TRACES_EXPORTER: 'console, otlp' }, 'http/protobuf'],
    [{ ...AT, OTEL_TRACES_EXPORTER: 'zipkin' }, 'unusable'],
    [{ ...AT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'unusable'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector.test:4318' }, 'unusable'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://' }, 'unusable'],
  ]

  for (const [env, expected] of cases) {
    const choice = traceChoice(env)
    assert.equal(choice.kind === 'on' ? choice.protocol : choice.kind, expected, JSON.stringify(env))
  }
})
