/// Shows alerts on the user's desktop (Desktop Notifications Specification 1.2).
///
/// A service outlives logins, so the bus is joined anew for each alert, at the place where the
/// environment says it is; where there is none, nobody sits at a desktop.
package struct DesktopNotifier: Sendable {
  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"

  private let addresses: [BusAddress]
  private let timeout: Duration

  package init(_ addresses: [BusAddress], timeout: Duration = .seconds(10)) {
    self.addresses = addresses
    self.timeout = timeout
  }

  /// Returns when the desktop has it.
  package func show(_ alert: Alert) async throws(BusError) {
    let connection = try await BusConnection.open(addresses, timeout: timeout) { _ in }
    defer { connection.close() }
    let body = await readsMarkup(connection) ? Self.escaped(alert.body) : alert.body
    _ = try await connection.call(
      Self.call("Notify", Self.arguments(alert, body)), timeout: timeout)
  }

  /// A desktop that does not say is taken for one that does: the text must not become markup.
  private func readsMarkup(_ connection: BusConnection) async -> Bool {
    let answer = try? await connection.call(Self.call("GetCapabilities"), timeout: timeout)
    guard case .array(_, let capabilities)? = answer?.first else { return true }
    return capabilities.contains(.string("body-markup"))
  }

  private static func call(_ method: String, _ arguments: [BusValue] = []) -> BusCall {
    BusCall(name, path, name, method, arguments)
  }

  /// There is no `desktop-entry` among the hints: some desktops take the alerts of a program
  /// away when its connection ends, and by that they would know it as a program.
  private static func arguments(_ alert: Alert, _ body: String) -> [BusValue] {
    let category =
      switch alert.kind {
      case .finished: "transfer.complete"
      case .trouble: "transfer.error"
      }
    let hints: [BusValue] = [
      .entry(key: .string("category"), value: .variant(.string(category)))
    ]
    return [
      .string("Kettle"), .uint32(0), .string("folder-download"), .string(alert.summary),
      .string(body), .array(of: .string, []), .array(of: .entry(.string, .variant), hints),
      // As long as the desktop shows such things.
      .int32(-1),
    ]
  }

  /// As XML has it: the body may have markup, and a file can be called anything. By scalars,
  /// because a "<" with an accent is another character, and still the start of a tag.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
