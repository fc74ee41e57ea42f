/// Shows the dashboard on the terminal.
package protocol DashboardPresenter: Sendable {
  /// Returns when the user leaves, the time is over, or the terminal is gone. Throws
  /// `DashboardUnavailable` when the terminal cannot show the dashboard.
  func open(_ request: DashboardRequest, in context: CommandContext) async throws
    -> DashboardOutcome
}

/// Which service the dashboard shows, and for how long.
package struct DashboardRequest: Hashable, Sendable {
  package var address: ServiceAddress
  /// The client name that the service receives.
  package var client: String
  package var limitMilliseconds: Int64?
  /// Whether to draw with ASCII only, whatever the locale.
  package var isASCII = false
  /// Whether the service's files are on this machine and can be opened here.
  package var filesAreHere: Bool

  package init(address: ServiceAddress, client: String, limitMilliseconds: Int64? = nil) {
    self.address = address
    self.client = client
    self.limitMilliseconds = limitMilliseconds
    filesAreHere = address.host == nil
  }

  /// The user's choices. They are in the home of the demo, or else on this machine, whichever
  /// machine the service is on.
  var choicesFile: ChoicesFile { ChoicesFile(environment: address.environment) }
}

package enum DashboardOutcome: Hashable, Sendable {
  /// `continuingCount` transfers continue by themselves after the user leaves.
  case left(continuingCount: Int)
  case limitReached
  /// The terminal was closed, or a signal asked the program to end; the service keeps running.
  case ended(ExitCode)
}

/// The terminal cannot show a dashboard; the sentence says why. Plain lines replace it.
package struct DashboardUnavailable: Error, Hashable, Sendable {
  package var sentence: String

  package init(sentence: String) { self.sentence = sentence }
}
