# the account that everything of this module runs in
data "aws_caller_identity" "current" {
}
