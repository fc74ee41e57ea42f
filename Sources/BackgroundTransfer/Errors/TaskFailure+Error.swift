import BackgroundTasks
import Foundation
import FoundationNetworking

extension TaskFailure {
  func error(for request: URLRequest) -> any Error { URLError(.unknown) }
}
