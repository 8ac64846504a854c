import { RadioChoice, TextField } from './fields.tsx'
import type { TypedKey } from './typed-key.ts'

const KINDS = [
  ['control', 'Control key (HMAC-SHA1)'],
  ['private', 'RSA private key (RSA-SHA256)'],
] as const

interface KeyFieldProps {
  readonly value: TypedKey
  readonly onInput: (key: TypedKey) => void
}

export function KeyField({ value: { kind, text }, onInput }: KeyFieldProps) {
  const field = { value: text, onInput: (typed: string) => onInput({ kind, text: typed }) }
  return (
    <>
      <RadioChoice
        legend="Kind of key"
        options={KINDS}
        chosen={kind}
        onChoose={(chosen) => onInput({ kind: chosen, text: '' })}
      />
      {kind === 'control' ? (
        <TextField
          {...field}
          label="Control key"
          type="password"
          hint="The key stays in this page."
        />
      ) : (
        <TextField
          {...field}
          label="RSA private key"
          rows={6}
          isCode
          placeholder="-----BEGIN RSA PRIVATE KEY-----"
          hint="PEM text, PKCS#1 or PKCS#8, without a passphrase."
        />
      )}
    </>
  )
}
