import KettleAria2
import KettleControl

/// The file that tells a browser which program an extension may start (native messaging manifests
/// of Chromium and Firefox).
struct HostManifest: Hashable, Sendable {
  /// Also the name of the file, without `.json`.
  static let name = "org.example.kettle"
  static let fileName = name + ".json"
  /// A manifest cannot contain arguments, so the program has this name.
  static let programName = "kettle-native-host"
  /// `browser_specific_settings.gecko.id` of the extension.
  static let firefoxID = "kettle@example.org"
  /// Chromium derives it from `key` of the extension: the first 16 bytes of its SHA-256, with a to
  /// p as digits.
  static let chromiumID = "ciaecdjonaljpecklcooeemphelopapl"

  var browser: Browser
  /// Absolute.
  var programPath: String

  /// With a line end after it.
  var text: String {
    var members: [JSONValue.Member] = [
      .init("name", .string(Self.name)),
      .init("description", .string("Hands downloads of the browser over to Kettle")),
      .init("path", .string(programPath)),
      .init("type", .string("stdio")),
    ]
    switch browser {
    case .firefox: members.append(.init("allowed_extensions", .array([.string(Self.firefoxID)])))
    case .chromium, .chrome:
      let origin = "chrome-extension://\(Self.chromiumID)/"
      members.append(.init("allowed_origins", .array([.string(origin)])))
    }
    return JSONValue.object(members).text + "\n"
  }

  /// Returns the path of the program in the text of a manifest, or nil if it is none.
  static func programPath(in text: [UInt8]) -> String? {
    (try? JSONReader.value(text))?.object?["path"]?.text
  }
}
