/** What the latencies in a report mean, from the one table that defines them. */
import { LATENCY_DEFINITIONS } from '@loadcurve/core/metrics/definitions'

export function DefinitionsTable({ version }: { version: number }) {
  return (
    <table>
      <caption>Definitions, version {version}. Instants are monotonic and taken before any decoding.</caption>
      <tbody>
        {Object.entries(LATENCY_DEFINITIONS).map(([name, { label, unit, definition, nullWhen }]) => (
          <tr key={name}>
            <th scope="row">
              {label} ({unit})
            </th>
            <td>
              {definition}.{nullWhen === null ? '' : ` Unknown when ${nullWhen}.`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
