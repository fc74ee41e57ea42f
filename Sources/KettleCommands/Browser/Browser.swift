import KettleClient
import KettleControl
import KettleStarter

/// A browser that can use the WebExtension.
enum Browser: String, CaseIterable, Sendable {
  case firefox, chromium, chrome

  var name: String {
    switch self {
    case .firefox: "Firefox"
    case .chromium: "Chromium"
    case .chrome: "Chrome"
    }
  }

  /// Where the browser looks for the manifests of one user.
  func userDirectory(in paths: BrowserPaths) -> String {
    switch self {
    // Also if its profiles are elsewhere.
    case .firefox: paths.home + "/.mozilla/native-messaging-hosts"
    case .chromium: paths.configuration + "/chromium/NativeMessagingHosts"
    case .chrome: paths.configuration + "/google-chrome/NativeMessagingHosts"
    }
  }

  /// The directories of its profiles. One of them is there when the browser was used.
  func profileDirectories(in paths: BrowserPaths) -> [String] {
    switch self {
    case .firefox: [paths.home + "/.mozilla/firefox", paths.configuration + "/mozilla/firefox"]
    case .chromium: [paths.configuration + "/chromium"]
    case .chrome: [paths.configuration + "/google-chrome"]
    }
  }

  /// Where the browser looks for those of all users.
  var systemDirectories: [String] {
    switch self {
    case .firefox:
      ["/usr/lib/mozilla/native-messaging-hosts", "/usr/lib64/mozilla/native-messaging-hosts"]
    case .chromium: ["/etc/chromium/native-messaging-hosts"]
    case .chrome: ["/etc/opt/chrome/native-messaging-hosts"]
    }
  }

  /// The page that loads an extension from a folder.
  var extensionPage: String {
    switch self {
    case .firefox: "about:debugging#/runtime/this-firefox"
    case .chromium, .chrome: "chrome://extensions"
    }
  }

  /// Directories of the browser as a Snap or Flatpak, relative to the home directory.
  var confinedDirectories: [String] {
    switch self {
    case .firefox: ["snap/firefox", ".var/app/org.mozilla.firefox"]
    case .chromium: ["snap/chromium", ".var/app/org.chromium.Chromium"]
    case .chrome: [".var/app/com.google.Chrome"]
    }
  }
}

/// The directories of the user that browsers and Kettle derive others from.
struct BrowserPaths: Hashable, Sendable {
  var home: String
  /// `~/.config`
  var configuration: String
  /// `~/.local/share`
  var data: String

  init(environment: [String: String]) {
    let paths = ServicePaths.of(environment: environment)
    home = paths.homeDirectory
    // Without `/kettle/config.toml`.
    configuration =
      paths.configPath.split(separator: "/", omittingEmptySubsequences: false)
      .dropLast(2).joined(separator: "/")
    let data = environment["XDG_DATA_HOME"] ?? ""
    self.data = data.hasPrefix("/") ? data : paths.homeDirectory + "/.local/share"
  }

  /// The link to this program that the manifests of the user name.
  var hostPath: String { data + "/kettle/" + HostManifest.programName }
}
