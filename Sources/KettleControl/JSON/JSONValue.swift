/// JSON for printing: members keep their order, and null is written out.
package indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  package static func string(orNull text: String?) -> JSONValue {
    text.map { .string($0) } ?? .null
  }

  package static func integer(orNull number: Int64?) -> JSONValue {
    number.map { .integer($0) } ?? .null
  }
}
