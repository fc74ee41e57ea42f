/// `[keys]`: the keys of each action. The dashboard defines the actions and keys.
enum KeysTable: DashboardTable {
  static let name = "keys"

  static func apply(
    _ entry: TOMLEntry, to configuration: inout DashboardConfiguration
  ) -> ConfigurationProblem.What? {
    guard let keys = keys(entry.value) else {
      return .wrongValue(
        entry.name, mustBe: "the name of a key in quotes, an array of them, or \"\" for none")
    }
    configuration.mappings.append(
      DashboardConfiguration.Mapping(action: key(of: entry), keys: keys, line: entry.line))
    return nil
  }

  private static func keys(_ value: TOMLValue) -> [String]? {
    switch value {
    case .string(let name): return name.isEmpty ? [] : [name]
    case .array(let values):
      var names: [String] = []
      for value in values {
        guard case .string(let name) = value, !name.isEmpty else { return nil }
        names.append(name)
      }
      return names
    case .integer, .boolean, .unquoted: return nil
    }
  }
}
