import KettleControl
import Foundation
import KettleModel

/// How the program is started when its session has news and it does not run.
enum LaunchChoice: Sendable {
  case ownProgram
  case command(URLSessionConfiguration.LaunchCommand)
}

extension URLSessionConfiguration {
  /// A program with its arguments, run without a shell.
  ///
  /// ```swift
  /// configuration.launchCommand = URLSessionConfiguration.LaunchCommand(
  ///   executable: URL(filePath: "/usr/bin/podcasts"), arguments: ["--background"])
  /// ```
  public struct LaunchCommand: Hashable, Sendable {
    /// The program; its path has to be absolute.
    public var executable: URL
    /// What it is given, without its own name.
    public var arguments: [String]
    /// Where it is run; the root when it is nil.
    public var directory: URL?

    /// Makes a command.
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

  /// What the service runs when everything is done while the program is not connected. It finds
  /// the identifier of the session in the environment as `KETTLE_SESSION_EVENTS`.
  ///
  /// nil, which it is unless set, is this program again with the arguments that it has now.
  /// Apple's systems launch the app in the same situation (`application(_:
  /// handleEventsForBackgroundURLSession:completionHandler:)`); see `BackgroundEvents`.
  ///
  /// ```swift
  /// configuration.launchCommand = URLSessionConfiguration.LaunchCommand(
  ///   executable: URL(filePath: "/usr/bin/podcasts"), arguments: ["--background"])
  /// ```
  public var launchCommand: LaunchCommand? {
    get {
      get {
        switch $0.launchCommand {
        case .ownProgram: nil
        case .command(let command): command
        }
      }
    }
    set {
      set { $0.launchCommand = newValue.map(LaunchChoice.command) ?? .ownProgram }
    }
  }

  /// Whether the delegate is shown the certificates of servers that the system trusts as well, as
  /// pinning needs it.
  ///
  /// nil, which it is unless set, finds out: the delegate is asked while the program runs, and as
  /// soon as it turns out to have no method for it, no more. Until it has answered once the system
  /// decides while the program does not run. Set it to true in a program that pins: then nothing is
  /// sent before its delegate was asked, and it is launched for that. Source: on Apple's systems
  /// every https server brings a `NSURLAuthenticationMethodServerTrust` challenge.
  ///
  /// ```swift
  /// configuration.asksServerTrust = true
  /// ```
  public var asksServerTrust: Bool? {
    get { get { $0.asksServerTrust } }
    set { set { $0.asksServerTrust = newValue } }
  }

  /// Absolute path of the program `kettle`, whose service carries out the transfers.
  ///
  /// nil, which it is unless set, looks in `KETTLE_EXECUTABLE`, in `PATH`, in `/usr/local/bin` and
  /// in `/usr/bin`, in this order.
  ///
  /// ```swift
  /// configuration.serviceExecutable = "/opt/kettle/bin/kettle"
  /// ```
  public var serviceExecutable: String? {
    get { get { $0.serviceExecutable } }
    set { set { $0.serviceExecutable = newValue } }
  }

  /// Where the service is; nil is where this process finds it. For the service of another world
  /// than the user's own.
  package var servicePlaces: ServicePlaces? {
    get { get { $0.servicePlaces } }
    set { set { $0.servicePlaces = newValue } }
  }
}
