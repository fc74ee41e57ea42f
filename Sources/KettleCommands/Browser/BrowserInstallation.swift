import FoundationEssentials
import Glibc
import KettleClient
import KettleModel
import KettleStarter
import KettleSystem

/// The manifests of one user, and the link to this program that they name.
struct BrowserInstallation {
  enum State: Hashable, Sendable {
    case absent
    /// The manifest at `path` names a program that can be run.
    case installed(path: String)
    /// The program that the manifest names is not there.
    case broken(path: String, program: String)
  }

  let paths: BrowserPaths
  private let program: String

  init(in context: CommandContext, program: String = ServiceProcess.ownExecutablePath()) {
    paths = BrowserPaths(environment: context.environment)
    self.program = program
  }

  /// The browsers that the user has used.
  var presentBrowsers: [Browser] {
    Browser.allCases.filter { $0.profileDirectories(in: paths).contains(where: Self.isDirectory) }
  }

  /// The browsers that are Snaps or Flatpaks here.
  var confinedBrowsers: [Browser] {
    Browser.allCases.filter { browser in
      browser.confinedDirectories.contains { Self.isDirectory(paths.home + "/" + $0) }
    }
  }

  /// The folder of the extension that was installed with this program; nil if there is none.
  var extensionDirectory: String? {
    let prefix = URL(filePath: program).deletingLastPathComponent().deletingLastPathComponent()
    let directory = prefix.appending(path: "share/kettle/webextension").path
    return Self.isDirectory(directory) ? directory : nil
  }

  /// Writes the manifest for a browser, and returns its path.
  func install(for browser: Browser) throws(BrowserError) -> String {
    try makeLink()
    let path = manifestPath(of: browser)
    try makeDirectory(of: path)
    let text = HostManifest(browser: browser, programPath: paths.hostPath).text
    do throws(SystemError) {
      try FileReplacement.write(Array(text.utf8), to: path, mode: 0o644)
    } catch {
      throw BrowserError(path: path, detail: error.message)
    }
    return path
  }

  /// Removes the manifest for a browser. Returns whether there was one.
  func uninstall(for browser: Browser) throws(BrowserError) -> Bool {
    let path = manifestPath(of: browser)
    if unlink(path) == 0 { return true }
    let error = SystemError(errno)
    guard error.code == ENOENT || error.code == ENOTDIR else {
      throw BrowserError(path: path, detail: error.message)
    }
    return false
  }

  /// Removes the link to the program if no manifest of this user is left.
  func removeUnusedLink() {
    let isUsed = Browser.allCases.contains { access(manifestPath(of: $0), F_OK) == 0 }
    if !isUsed { unlink(paths.hostPath) }
  }

  /// What the browser finds: the manifest of the user, or else that of all users.
  func state(of browser: Browser) -> State {
    let systemPaths = browser.systemDirectories.map { $0 + "/" + HostManifest.fileName }
    for path in [manifestPath(of: browser)] + systemPaths {
      guard case .bytes(let bytes) = FileContents.read(path: path, byteCountMax: 65_536) else {
        continue
      }
      let program = HostManifest.programPath(in: bytes) ?? ""
      return access(program, X_OK) == 0
        ? .installed(path: path) : .broken(path: path, program: program)
    }
    return .absent
  }

  func manifestPath(of browser: Browser) -> String {
    browser.userDirectory(in: paths) + "/" + HostManifest.fileName
  }

  /// Replaces the link atomically, because a browser may be starting the program through it.
  private func makeLink() throws(BrowserError) {
    let path = paths.hostPath
    try makeDirectory(of: path)
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    guard symlink(program, temporary) == 0, rename(temporary, path) == 0 else {
      let error = SystemError(errno)
      unlink(temporary)
      throw BrowserError(path: path, detail: error.message)
    }
  }

  private func makeDirectory(of path: String) throws(BrowserError) {
    let directory = URL(filePath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw BrowserError(path: directory, detail: "the directory cannot be created")
    }
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// A file of the installation cannot be written or removed.
struct BrowserError: Error, Hashable {
  var path: String
  var detail: String
}
