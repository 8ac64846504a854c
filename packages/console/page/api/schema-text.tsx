import { texts } from '../texts.ts'
import { type OpenApi, resolve, type Schema } from './openapi.ts'
import { RichText } from './rich-text.tsx'

/** Keywords that limit a value. They are shown as they are. */
const LIMITS = [
  'format',
  'const',
  'default',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
]

interface SchemaTextProps {
  readonly document: OpenApi
  readonly schema: Schema
  /** The references on the way here: a schema may contain itself. */
  readonly parents?: readonly string[]
}

/** Shows a schema: its type and limits, and the schemas of its members as nested lists. */
export function SchemaText({ document, schema, parents = [] }: SchemaTextProps) {
  const reference = schema.$ref
  const name = reference?.split('/').at(-1)
  if (reference !== undefined && parents.includes(reference)) return <code>{name}</code>
  const inside = reference === undefined ? parents : [...parents, reference]
  const known = { ...resolve<Schema>(document, schema), ...schema }
  const { description, properties = {}, required = [], items, type } = known
  const choices = known.anyOf ?? known.oneOf ?? known.allOf ?? []
  const allowed = Array.isArray(known['enum']) ? known['enum'] : []
  const types = [type ?? []].flat().join(' | ')
  return (
    <>
      <span class="quiet">{[name, types].filter(Boolean).join(' · ')}</span>{' '}
      {description !== undefined && <RichText text={description} />}
      {allowed.length > 0 && <code> {allowed.map(String).join(' | ')}</code>}
      {LIMITS.filter((keyword) => known[keyword] !== undefined).map((keyword) => (
        <small key={keyword}>
          {' '}
          {keyword} <code>{JSON.stringify(known[keyword])}</code>
        </small>
      ))}
      {items && (
        <>
          {' '}
          {texts.api.of} <SchemaText document={document} schema={items} parents={inside} />
        </>
      )}
      {Object.keys(properties).length > 0 && (
        <ul>
          {Object.entries(properties).map(([member, value]) => (
            <li key={member}>
              <code>{member}</code> {required.includes(member) && <em>{texts.api.required} </em>}
              <SchemaText document={document} schema={value} parents={inside} />
            </li>
          ))}
        </ul>
      )}
      {choices.length > 0 && (
        <ul>
          {choices.map((choice, at) => (
            <li key={at}>
              <SchemaText document={document} schema={choice} parents={inside} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
