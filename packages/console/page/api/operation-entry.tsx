import { useSignal } from '@preact/signals'
import { texts } from '../texts.ts'
import {
  type Body,
  type Content,
  type Method,
  type OpenApi,
  type Operation,
  type Parameter,
  resolve,
} from './openapi.ts'
import { RichText } from './rich-text.tsx'
import { SchemaText } from './schema-text.tsx'

interface OperationEntryProps {
  readonly document: OpenApi
  readonly path: string
  readonly method: Method
  readonly operation: Operation
}

/** One method of a path. Its details exist only while they are open, because the document is long. */
export function OperationEntry({ document, path, method, operation }: OperationEntryProps) {
  const isOpen = useSignal(false)
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <code class="method">{method.toUpperCase()}</code> <code>{path}</code>{' '}
        <span class="quiet">{operation.summary}</span>
      </summary>
      {isOpen.value && <OperationDetails document={document} operation={operation} />}
    </details>
  )
}

interface InDocument {
  readonly document: OpenApi
}

function OperationDetails({ document, operation }: InDocument & { readonly operation: Operation }) {
  const { description, parameters = [], requestBody, responses = {}, security = [] } = operation
  return (
    <div class="operation">
      {description !== undefined && (
        <p>
          <RichText text={description} />
        </p>
      )}
      <p>{security.length > 0 ? texts.api.signed : texts.api.unsigned}</p>
      {parameters.length > 0 && (
        <>
          <h2>{texts.api.parameters}</h2>
          <ul>
            {parameters.map((parameter) => {
              const known = resolve<Parameter>(document, parameter)
              return (
                <li key={known.name}>
                  <code>{known.name}</code> <span class="quiet">{known.in}</span>{' '}
                  <ValueText document={document} {...known} />
                </li>
              )
            })}
          </ul>
        </>
      )}
      {requestBody && (
        <>
          <h2>{texts.api.request}</h2>
          <BodyText document={document} body={resolve<Body>(document, requestBody)} />
        </>
      )}
      <h2>{texts.api.responses}</h2>
      {Object.entries(responses).map(([status, response]) => (
        <details key={status}>
          <summary>
            <code>{status}</code>{' '}
            <RichText text={resolve<Body>(document, response).description ?? ''} />
          </summary>
          <BodyText document={document} body={resolve<Body>(document, response)} isResponse />
        </details>
      ))}
    </div>
  )
}

/** A value outside a body: its description, its schema and an example. */
function ValueText({
  document,
  required,
  description = '',
  schema,
  example,
}: InDocument & Omit<Parameter, 'name' | 'in'>) {
  return (
    <>
      {required === true && <em>{texts.api.required} </em>}
      <RichText text={description} /> {schema && <SchemaText document={document} schema={schema} />}
      {example !== undefined && (
        <small>
          {' '}
          {texts.api.example} <code>{showValue(example)}</code>
        </small>
      )}
    </>
  )
}

function BodyText({
  document,
  body,
  isResponse = false,
}: InDocument & { readonly body: Body; readonly isResponse?: boolean }) {
  const { description, headers = {}, content = {} } = body
  return (
    <div class="body">
      {description !== undefined && !isResponse && (
        <p>
          <RichText text={description} />
        </p>
      )}
      {Object.keys(headers).length > 0 && (
        <ul>
          {Object.entries(headers).map(([name, header]) => (
            <li key={name}>
              <code>{name}</code> <ValueText document={document} {...resolve(document, header)} />
            </li>
          ))}
        </ul>
      )}
      {Object.entries(content).map(([type, value]) => (
        <ContentText key={type} document={document} type={type} {...value} />
      ))}
    </div>
  )
}

function ContentText({
  document,
  type,
  schema,
  example,
  examples = {},
}: InDocument & Content & { readonly type: string }) {
  const values = Object.entries(examples).map(([name, one]) => {
    return [name, resolve<{ readonly value: unknown }>(document, one).value] as const
  })
  const all = example === undefined ? values : [['', example] as const, ...values]
  return (
    <div class="content">
      <h3>
        <code>{type}</code>
      </h3>
      {schema && <SchemaText document={document} schema={schema} />}
      {all.map(([name, value]) => (
        <details key={name}>
          <summary>
            {texts.api.example} {name}
          </summary>
          <pre>{showValue(value)}</pre>
        </details>
      ))}
    </div>
  )
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}
