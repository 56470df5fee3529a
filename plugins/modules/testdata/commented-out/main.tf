/*
resource "aws_vpc" "commented" {
}
*/
# variable "commented" {}

// provider "azurerm" {}

locals {
  providers = {
    google   = "a map key"
    resource = { aws_vpc = "x" }
  }
  text = <<EOT
resource "aws_vpc" "text" {
}
EOT
}

module "nested" {
  source = "acme/x/aws"
  settings = {
    version = "9.9.9"
    inner   = { a = 1 }
  }
  version = "1.2.3"
}
