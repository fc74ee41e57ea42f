import Foundation
import KettleControl
import KettleModel

extension URLSessionConfiguration {
  /// A program with its arguments, run without a shell.
  ///
  /// ```swift
  /// configuration.launchCommand = URLSessionConfiguration.LaunchCommand(
  ///   executable: URL(filePath: "/usr/bin/podcasts"), arguments: ["--background"])
  /// ```
  public struct LaunchCommand: Hashable, Sendable {
    /// The executable; its path must be absolute.
    public var executable: URL
    /// The arguments, without the program's own name.
    public var arguments: [String]
    /// The working directory; nil means the root directory.
    public var directory: URL?

    /// Creates a command.
    ///
    /// ```swift
    /// let command = URLSessionConfiguration.LaunchCommand(
    ///   executable: URL(fileURLWithPath: "/usr/bin/podcasts"), arguments: ["--background"])
    /// ```
    public init(executable: URL, arguments: [String] = [], directory: URL? = nil) {
      self.executable = executable
      self.arguments = arguments
      self.directory = directory
    }
  }

  /// What the service launches when all tasks are finished while the program is not connected.
  ///
  /// ```swift
  /// configuration.launch = .noLaunch
  /// ```
  public enum Launch: Hashable, Sendable {
    /// This program with its current arguments, unless its standard input is a terminal: a person
    /// started it and can start it again.
    case automatic
    /// This program with its current arguments.
    case ownProgram
    /// Another program or other arguments.
    case command(LaunchCommand)
    /// Nothing. The files and the calls wait until the program is started by other means.
    case noLaunch
  }

  /// What the service launches when all tasks are finished while the program is not connected; the
  /// default is `automatic`. The environment variable `KETTLE_SESSION_EVENTS` contains the
  /// identifier of the session.
  ///
  /// Apple's systems launch the app in the same situation
  /// (`application(_:handleEventsForBackgroundURLSession:completionHandler:)`); see
  /// `BackgroundEvents`.
  ///
  /// ```swift
  /// configuration.launch = .ownProgram
  /// ```
  public var launch: Launch {
    get { get { $0.launch } }
    set { set { $0.launch = newValue } }
  }

  /// The command of `launch`; nil for every other choice. Setting nil means `automatic`.
  ///
  /// ```swift
  /// configuration.launchCommand = URLSessionConfiguration.LaunchCommand(
  ///   executable: URL(filePath: "/usr/bin/podcasts"), arguments: ["--background"])
  /// ```
  public var launchCommand: LaunchCommand? {
    get {
      switch launch {
      case .automatic, .ownProgram, .noLaunch: nil
      case .command(let command): command
      }
    }
    set { launch = newValue.map(Launch.command) ?? .automatic }
  }

  /// Which service performs the transfers.
  ///
  /// ```swift
  /// configuration.service = .embedded(directory: URL(filePath: "/var/lib/app/transfers"))
  /// ```
  public enum Service: Hashable, Sendable {
    /// The service of the user, with the user's dashboard and commands.
    case ofUser
    /// A service of the program's own, which stores everything in this directory. It needs no home
    /// directory, and its executable `kettle` is looked for beside the program first.
    case embedded(directory: URL)
  }

  /// Which service performs the transfers; the default is the user's.
  ///
  /// All sessions with the same directory share one service, which the first of them starts as a
  /// child process in a session of its own (setsid(2)). The directory is created if its parent
  /// exists; it must belong to the user, and its path must be shorter than 70 bytes.
  ///
  /// ```swift
  /// configuration.service = .embedded(directory: URL(filePath: "/var/lib/app/transfers"))
  /// ```
  public var service: Service {
    get { get { $0.service } }
    set { set { $0.service = newValue } }
  }

  /// Whether the delegate also evaluates the certificates that the system trusts, as pinning
  /// requires.
  ///
  /// nil, the default, means automatic: while the program is running, the delegate is asked until
  /// it turns out to have no method for this. Until the delegate has responded once, the system
  /// decides while the program is not running. Set it to true in a program that pins: then nothing
  /// is sent before the delegate has responded, and the program is launched for that. Source: on
  /// Apple's systems every https server causes a `NSURLAuthenticationMethodServerTrust` challenge.
  ///
  /// ```swift
  /// configuration.asksServerTrust = true
  /// ```
  public var asksServerTrust: Bool? {
    get { get { $0.asksServerTrust } }
    set { set { $0.asksServerTrust = newValue } }
  }

  /// The number of connections over which the service fetches ranges of one download at the same
  /// time, from 1 to 16; 1 by default. A value out of range becomes the nearest end of the range.
  ///
  /// The service opens further connections only when the server supports byte ranges (RFC 9110,
  /// section 14) and one connection does not finish the file within about a second.
  /// `httpMaximumConnectionsPerHost` limits them as well. Each task keeps the value with which it
  /// was created. Uploads have one connection.
  ///
  /// ```swift
  /// configuration.maximumConnectionsPerTask = 4
  /// ```
  public var maximumConnectionsPerTask: Int {
    get { get { $0.maximumConnectionsPerTask } }
    set { set { $0.maximumConnectionsPerTask = min(max(newValue, 1), 16) } }
  }

  /// Whether the program's terminal shows the progress of the session's tasks that have a title
  /// (`URLSessionTask.updateTitle(_:subtitle:)`); true by default.
  ///
  /// It is shown by OSC 9;4 if standard error is a terminal known to support this, outside tmux and
  /// screen, while the program is in the foreground. The normal end of the program removes it.
  ///
  /// ```swift
  /// configuration.showsProgressInTerminal = false
  /// ```
  public var showsProgressInTerminal: Bool {
    get { get { $0.showsProgressInTerminal } }
    set { set { $0.showsProgressInTerminal = newValue } }
  }

  /// Absolute path of the program `kettle`, whose service performs the transfers.
  ///
  /// nil, the default, means the first one found in `KETTLE_EXECUTABLE`, the directory of the
  /// program if the service is embedded, `PATH`, `/usr/local/bin` and `/usr/bin`, in this order.
  ///
  /// ```swift
  /// configuration.serviceExecutable = "/opt/kettle/bin/kettle"
  /// ```
  public var serviceExecutable: String? {
    get { get { $0.serviceExecutable } }
    set { set { $0.serviceExecutable = newValue } }
  }

  /// The paths of the service; nil means those that this process finds. Set it to use a service
  /// other than the user's own.
  package var servicePaths: ServicePaths? {
    get { get { $0.servicePaths } }
    set { set { $0.servicePaths = newValue } }
  }
}
