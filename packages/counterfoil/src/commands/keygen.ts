import { generateKeyPair, type KeyObject } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { importPublicKey } from '@counterfoil/signing'
import { Option } from 'commander'
import type { CommandDescription } from '../command.ts'
import { openPrompt } from '../connection/prompt.ts'
import type { Dependencies } from '../dependencies.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { writeNew } from '../write-new.ts'

interface KeygenOptions {
  readonly bits: string
  readonly passphrase?: boolean
}

const HELP = `
Examples:
  counterfoil keygen shop
  counterfoil keygen shop --passphrase

The command writes two files: NAME-private.pem, which only you can read, and
NAME-public.pem. It never replaces a file. Send the public key to the operator
of the gateway. The private key stays with you.

Exit codes:
  ${EXIT_CODES.done}    the files are written
  ${EXIT_CODES.usage}    the command line is wrong, or a file exists or cannot be written
  ${EXIT_CODES.interrupted}  interrupted`

/** The command `keygen`. */
export const KEYGEN: CommandDescription<KeygenOptions> = {
  name: 'keygen',
  summary: 'create an RSA key pair to sign with',
  description: 'Creates an RSA key pair to sign requests with (RSA-SHA256).',
  argument: ['[name]', 'beginning of the names of both files (default: "counterfoil")'],
  options: [
    new Option('--bits <bits>', 'length of the key')
      .choices(['2048', '3072', '4096', '8192'])
      .default('4096'),
    new Option('--passphrase', 'ask for a passphrase, and encrypt the private key with it'),
  ],
  help: HELP,
  run: runKeygen,
}

/** Creates a key pair, writes both halves and prints what to do with them. */
async function runKeygen(
  { bits, passphrase: isAsked }: KeygenOptions,
  dependencies: Dependencies,
  name = 'counterfoil',
): Promise<number> {
  const { stdout } = dependencies
  const [privateFile, publicFile] = [`${name}-private.pem`, `${name}-public.pem`]
  const passphrase = isAsked ? await askPassphrase(dependencies) : undefined
  const modulusLength = Number(bits)
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength })
  const publicPem = String(pair.publicKey.export({ type: 'spki', format: 'pem' }))
  await writeNew(publicFile, publicPem, { mode: 0o644 })
  try {
    await writeNew(privateFile, privatePem(pair.privateKey, passphrase))
  } catch (error) {
    await rm(publicFile)
    throw error
  }
  const { fingerprint } = await importPublicKey(publicPem)
  const encryption = passphrase === undefined ? 'not encrypted' : 'encrypted'
  stdout.write(`Created an RSA key pair of ${bits} bits.

  private key  ${privateFile} (PKCS#8, ${encryption}; only you can read the file)
  public key   ${publicFile}
  fingerprint  ${fingerprint}

1. Send ${publicFile} and your login to the operator of the gateway, who adds the key:
     counterfoil-gateway keys add LOGIN --public-key ${publicFile} --config gateway.yaml
   That command prints the fingerprint too. Compare both by telephone, for example.
2. Write a profile that signs with the private key:
     counterfoil init --private-key ${privateFile}

Keep ${privateFile} secret. Nobody else needs it, and no operator asks for it.
`)
  return EXIT_CODES.done
}

async function askPassphrase(dependencies: Dependencies): Promise<string> {
  const prompt = openPrompt(dependencies)
  try {
    const passphrase = await prompt.askHidden('Passphrase of the new key: ')
    if (passphrase === '') throw new UsageError('expected a passphrase that is not empty')
    const repeated = await prompt.askHidden('The same passphrase again: ')
    if (repeated !== passphrase) throw new UsageError('the two passphrases differ')
    return passphrase
  } finally {
    prompt.close()
  }
}

function privatePem(key: KeyObject, passphrase: string | undefined): string {
  const encryption = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }
  return String(key.export({ type: 'pkcs8', format: 'pem', ...encryption }))
}
